"""``python -m jourdain``."""

import sys

from jourdain.command import main

sys.exit(main())
