"""What is said of a cluster before one is there."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from fcbench.cli.main import main
from fcbench.engine.cluster import Cluster
from fcbench.errors import UsageError


@pytest.mark.parametrize(
    ("cluster", "where"),
    [
        pytest.param(Cluster(workers=0), "--ray-workers", id="no worker"),
        pytest.param(Cluster(workers=1001), "--ray-workers", id="too many workers"),
        pytest.param(Cluster(gpus=-1), "--ray-gpus", id="less than no GPU"),
        pytest.param(Cluster(gpus=float("nan")), "--ray-gpus", id="no number of GPUs"),
    ],
)
def test_what_no_cluster_can_give_is_refused(cluster: Cluster, where: str) -> None:
    with pytest.raises(UsageError) as caught:
        cluster.check()
    assert caught.value.where == where


def test_an_ordinary_cluster_passes() -> None:
    Cluster(workers=4, gpus=0.5).check()
    Cluster().check()


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed here")
def test_without_ray_the_extra_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["run", "complex-schema-nl/quick", "--model", "scripted:null", "--engine", "ray"]
    assert main([*command, "--output", str(tmp_path)]) == 69
    assert "fcbench[ray]" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [], "nothing was begun"
