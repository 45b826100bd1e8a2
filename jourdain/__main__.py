"""``python -m jourdain``."""

import sys

from jourdain.command import main

if __name__ == "__main__":  # processes of a sweep begin by importing this file
    sys.exit(main())
