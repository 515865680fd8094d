try:
    from missing_module import speed
except ImportError:
    from fallback import speed

try:
    import also_missing as impl
except ImportError:
    impl = None

speed()
if impl is None:
    from fallback import slow as run
else:
    run = impl.run
run()
