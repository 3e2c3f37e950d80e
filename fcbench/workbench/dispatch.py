"""One call of a tool on a session."""

from __future__ import annotations

from fcbench.core.canonical import clean_json
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import CallResult
from fcbench.core.names import JsonObject
from fcbench.errors import FcbenchError
from fcbench.workbench.arguments import arguments_for
from fcbench.workbench.engines import engine_label
from fcbench.workbench.errors import ToolError
from fcbench.workbench.session import Session
from fcbench.workbench.tools import implementations

MAX_MESSAGE = 1000
"""Letters of an error message."""


def call(session: Session, contract: ToolContract, arguments: JsonObject) -> CallResult:
    """Run one call whose arguments satisfy the contract's schema.

    A `ToolError` becomes a result of status `error`. Every other exception is a fault of ours: it is not caught, so
    that the attempt ends as `harness_error` and is never scored as the model's.

    Raises:
        FcbenchError: the tool has no implementation.
    """
    tool = implementations().get(contract.name)
    if tool is None:
        raise FcbenchError("a tool has no implementation", found=contract.name)
    label = engine_label(tool.engine)
    try:
        content = tool.run(session, arguments_for(contract, arguments))
    except ToolError as error:
        said = clean_json({"code": error.code, "message": error.message[:MAX_MESSAGE]})
        return CallResult(status="error", content=said, provenance=tool.provenance, engine=label)
    return CallResult(status="ok", content=content, provenance=tool.provenance, engine=label)
