"""A run on the real stores that is killed (SIGKILL) at twenty points and repeated ends in the same memory."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[3]
POINTS = tuple(range(1, 21))
NEVER = 0


def run(folder: Path, steps: int) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.retrieval.ingest.killed_run", str(folder), str(steps)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def killed_and_repeated(folder: Path, steps: int) -> tuple[int, str, str]:
    killed = run(folder, steps)
    repeated = run(folder, NEVER)
    return killed.returncode, repeated.stdout, repeated.stderr


def test_killed_at_twenty_points_it_ends_in_the_same_memory(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", NEVER)
    assert whole.returncode == 0, whole.stderr
    with ThreadPoolExecutor(max_workers=2) as pool:
        ended = list(pool.map(lambda p: killed_and_repeated(tmp_path / str(p), p), POINTS))
    for point, (code, stored, errors) in zip(POINTS, ended, strict=True):
        assert code == -signal.SIGKILL, f"point {point} was never reached"
        assert stored == whole.stdout, f"killed at step {point}: {errors}"
