"""What clients can call: declarations that are cheap to load, and the code behind them."""
