"""C# in the linker: namespaces and usings, extension methods, delegates, queries."""
