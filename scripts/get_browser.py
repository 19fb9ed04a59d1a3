"""Print the path of a Chromium, installing Debian's where there is none: $CHROMIUM, the PATH, then apt-get as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = ("chromium", "fonts-dejavu-core")
ATTEMPTS = 3


def present() -> str | None:
    """The path of a browser that is installed."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    return next((path for path in map(shutil.which, NAMES) if path), None)


def install() -> None:
    """Install Debian's Chromium; tried again, since a package server may be busy."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        sys.exit("No Chromium found. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path.")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for attempt in range(1, ATTEMPTS + 1):
        update = subprocess.run([apt, "update", "-qq"], env=quiet, stdout=sys.stderr, check=False)
        command = [apt, "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]
        done = subprocess.run(command, env=quiet, stdout=sys.stderr, check=False)
        if update.returncode == done.returncode == 0:
            return
        sys.stderr.write(f"Installing Chromium failed (attempt {attempt} of {ATTEMPTS}).\n")
    sys.exit("Chromium could not be installed.")


if __name__ == "__main__":
    if present() is None:
        install()
    sys.stdout.write(f"{present()}\n")
