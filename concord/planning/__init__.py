"""Planning: how many raters and items a study needs for a given width of its intervals."""
