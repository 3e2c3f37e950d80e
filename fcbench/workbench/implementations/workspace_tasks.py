"""The checklist of the session."""

from __future__ import annotations

from dataclasses import replace

from fcbench.core.names import JsonObject
from fcbench.workbench.annotations import one_line
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.project import ChecklistTask, TaskStatus
from fcbench.workbench.results import listing
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool

MAX_TASKS = 100
"""Items of one checklist."""


@tool("add_task", engine="session", provenance="state")
def add_task(session: Session, arguments: Arguments) -> JsonObject:
    """A new item at the end of the checklist."""
    if len(session.state.tasks) >= MAX_TASKS:
        raise ToolError("bad_argument", f"a checklist has at most {MAX_TASKS} items")
    title = one_line(arguments.text("title"), "title")
    task = ChecklistTask(
        id=session.mint("task"),
        title=title,
        status=_status(arguments.text("status")),
        progress=arguments.integer("progress"),
    )
    session.state.tasks.append(task)
    return _item(task)


@tool("list_tasks", engine="session", provenance="state")
def list_tasks(session: Session, arguments: Arguments) -> JsonObject:
    """The items of the checklist, in order of adding."""
    status = arguments.text("status")
    return listing("tasks", [_item(each) for each in session.state.tasks if status in ("any", each.status)])


@tool("update_task", engine="session", provenance="state")
def update_task(session: Session, arguments: Arguments) -> JsonObject:
    """Another title, state or progress of one item."""
    task = _task(session, arguments.text("task_id"))
    if not any(name in arguments for name in ("title", "status", "progress")):
        raise ToolError("bad_argument", "nothing is to change: a title, a status or a progress has to be given")
    changed = replace(
        task,
        title=one_line(arguments.text("title"), "title") if "title" in arguments else task.title,
        status=_status(arguments.text("status", task.status)),
        progress=arguments.integer("progress", task.progress),
    )
    session.state.tasks = [changed if each is task else each for each in session.state.tasks]
    return _item(changed)


@tool("delete_task", engine="session", provenance="state")
def delete_task(session: Session, arguments: Arguments) -> JsonObject:
    """The checklist without one item."""
    task = _task(session, arguments.text("task_id"))
    session.state.tasks = [each for each in session.state.tasks if each is not task]
    return {"task_id": task.id, "remaining": len(session.state.tasks)}


@tool("clear_tasks", engine="session", provenance="state")
def clear_tasks(session: Session, arguments: Arguments) -> JsonObject:
    """An empty checklist."""
    removed = len(session.state.tasks)
    session.state.tasks = []
    return {"removed": removed}


def _task(session: Session, identifier: str) -> ChecklistTask:
    tasks = session.state.tasks
    for task in tasks:
        if task.id == identifier:
            return task
    there = ", ".join(task.id for task in tasks[:10]) or "no item"
    raise ToolError("not_found", f"the checklist has no item {identifier}; it has {there}")


def _status(text: str) -> TaskStatus:
    return "done" if text == "done" else "in_progress" if text == "in_progress" else "open"


def _item(task: ChecklistTask) -> JsonObject:
    return {"task_id": task.id, "title": task.title, "status": task.status, "progress": task.progress}
