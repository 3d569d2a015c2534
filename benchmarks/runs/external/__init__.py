"""External metrics. This package does not depend on Django; limits are arguments."""
