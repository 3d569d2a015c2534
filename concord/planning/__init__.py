"""How many raters and items a study needs for a wanted precision of agreement."""
