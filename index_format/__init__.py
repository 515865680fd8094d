"""An embedded search index of immutable segments, readable without locks."""
