"""The `codeagent` toolset: files, folders and the index behind them."""
