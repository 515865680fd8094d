// Writes what Roslyn says of a project as JSON lines, in the form of edges.py.
//
//     dotnet csharp_oracle.dll ROOT OUT REFERENCES SYMBOL…
//
// All C# files below ROOT make one compilation, with the assemblies of the folder REFERENCES, the
// symbols of the preprocessor, and the usings that project files give. It is compiled with an old
// Roslyn and run with a newer one, so that syntax that only the newer one knows is named by the
// names of its classes.
//
//     dotnet csharp_oracle.dll --check REFERENCES FOLDER…
//
// prints the errors of each folder as a program of its own.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

static class Program
{
    static int Main(string[] arguments)
    {
        // assemblies beside this one and those of the runtime serve for every version
        AssemblyLoadContext.Default.Resolving += (context, name) =>
        {
            var beside = Path.Combine(AppContext.BaseDirectory, name.Name + ".dll");
            return File.Exists(beside)
                ? context.LoadFromAssemblyPath(beside)
                : Assembly.Load(new AssemblyName(name.Name!));
        };
        return Run(arguments);
    }

    static int Run(string[] arguments)
    {
        if (arguments[0] == "--check") return Oracle.Check(arguments[1], arguments.Skip(2));
        var oracle = new Oracle(Path.GetFullPath(arguments[0]), arguments[2], arguments.Skip(3));
        File.WriteAllLines(arguments[1], oracle.Rows());
        return 0;
    }
}

sealed class Oracle
{
    // as Python escapes them: what is not ASCII too
    static readonly JsonSerializerOptions Options = new JsonSerializerOptions();

    // a kind of method that the older Roslyn has no name for
    const int FunctionPointer = 18;

    readonly string root;
    readonly CSharpCompilation compilation;
    readonly List<string> rows = new List<string>();
    readonly HashSet<string> seen = new HashSet<string>();
    SemanticModel model = null!;

    public Oracle(string root, string references, IEnumerable<string> symbols)
    {
        this.root = root;
        compilation = Compile(Sources(root, "*.cs"), Prelude(root), references, symbols);
    }

    // What compilers of today have by themselves, and the usings of project files.
    static string Prelude(string root)
    {
        var usings = new SortedSet<string>(StringComparer.Ordinal);
        foreach (var file in Sources(root, "*.csproj").Concat(Sources(root, "*.props")))
        {
            var text = File.ReadAllText(file);
            foreach (Match each in Regex.Matches(text, "<Using\\s+Include=\"([\\w.]+)\"\\s*/>")) usings.Add(each.Groups[1].Value);
            if (Regex.IsMatch(text, "<ImplicitUsings>\\s*(enable|true)"))
                usings.UnionWith(new[] { "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading", "System.Threading.Tasks" });
        }
        var lines = usings.Select(each => $"global using {each};");
        return string.Join("\n", lines) + "\nnamespace System.Runtime.CompilerServices { class IsExternalInit { } }";
    }

    static CSharpCompilation Compile(
        IEnumerable<string> files, string prelude, string references, IEnumerable<string> symbols)
    {
        var options = CSharpParseOptions.Default
            .WithLanguageVersion(LanguageVersion.Preview)
            .WithPreprocessorSymbols(symbols);
        var trees = files.Select(file => CSharpSyntaxTree.ParseText(
            File.ReadAllText(file), options, file, Encoding.UTF8));
        trees = trees.Append(CSharpSyntaxTree.ParseText(prelude, options));
        var assemblies = Directory.GetFiles(references, "*.dll").OrderBy(each => each, StringComparer.Ordinal);
        return CSharpCompilation.Create(
            "judged", trees, assemblies.Select(each => MetadataReference.CreateFromFile(each)),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
    }

    // Errors of each folder as a program of its own: the code of written cases must compile.
    public static int Check(string references, IEnumerable<string> folders)
    {
        var count = 0;
        foreach (var folder in folders)
        {
            var errors = Compile(Sources(folder, "*.cs"), Prelude(folder), references, new string[0]).GetDiagnostics()
                .Where(each => each.Severity == DiagnosticSeverity.Error);
            foreach (var error in errors)
            {
                Console.WriteLine(error);
                count++;
            }
        }
        return count == 0 ? 0 : 1;
    }

    static IEnumerable<string> Sources(string folder, string pattern)
    {
        foreach (var file in Directory.GetFiles(folder, pattern).OrderBy(each => each, StringComparer.Ordinal))
            yield return file;
        foreach (var inner in Directory.GetDirectories(folder).OrderBy(each => each, StringComparer.Ordinal))
        {
            var name = Path.GetFileName(inner);
            if (name == "bin" || name == "obj" || name.StartsWith(".")) continue;
            foreach (var file in Sources(inner, pattern)) yield return file;
        }
    }

    public IEnumerable<string> Rows()
    {
        foreach (var tree in compilation.SyntaxTrees.Where(each => each.FilePath.Length > 0))
        {
            model = compilation.GetSemanticModel(tree);
            foreach (var node in tree.GetRoot().DescendantNodesAndSelf()) Visit(node);
        }
        return rows;
    }

    void Add(object row)
    {
        var text = JsonSerializer.Serialize(row, Options);
        if (seen.Add(text)) rows.Add(text);
    }

    // places and declarations

    string PathOf(SyntaxTree tree) =>
        Path.GetRelativePath(root, tree.FilePath).Replace(Path.DirectorySeparatorChar, '/');

    (int Line, int Column) Position(SyntaxTree tree, int start)
    {
        var text = tree.GetText();
        var line = text.Lines.GetLineFromPosition(start);
        var before = text.ToString(new Microsoft.CodeAnalysis.Text.TextSpan(line.Start, start - line.Start));
        return (line.LineNumber + 1, before.Count(each => !char.IsLowSurrogate(each)));
    }

    object[] At(SyntaxToken token)
    {
        var start = token.SpanStart + (token.Text.StartsWith("@") ? 1 : 0);
        var (line, column) = Position(token.SyntaxTree!, start);
        return new object[] { PathOf(token.SyntaxTree!), line, column };
    }

    object[]? Where(SyntaxNode? node)
    {
        var name = node == null ? null : NameOf(node);
        if (node == null || name == null) return null;
        var (line, _) = Position(node.SyntaxTree, name.Value.Start);
        return new object[] { PathOf(node.SyntaxTree), line, name.Value.Text };
    }

    static string Squeezed(SyntaxNode node) => string.Concat(node.ToString().Where(each => !char.IsWhiteSpace(each)));

    static (int Start, string Text)? NameOf(SyntaxNode node)
    {
        (int, string) named(SyntaxToken token) => (token.SpanStart, token.ValueText);
        (int, string) member(ExplicitInterfaceSpecifierSyntax? of, SyntaxToken token, string text) =>
            of == null ? (token.SpanStart, text) : (of.SpanStart, Squeezed(of) + text);
        switch (node)
        {
            case BaseTypeDeclarationSyntax type: return named(type.Identifier);
            case DelegateDeclarationSyntax type: return named(type.Identifier);
            case MethodDeclarationSyntax method:
                return member(method.ExplicitInterfaceSpecifier, method.Identifier, method.Identifier.ValueText);
            case PropertyDeclarationSyntax property:
                return member(property.ExplicitInterfaceSpecifier, property.Identifier, property.Identifier.ValueText);
            case EventDeclarationSyntax one:
                return member(one.ExplicitInterfaceSpecifier, one.Identifier, one.Identifier.ValueText);
            case IndexerDeclarationSyntax indexer:
                return member(indexer.ExplicitInterfaceSpecifier, indexer.ThisKeyword, "this");
            case ConstructorDeclarationSyntax made: return named(made.Identifier);
            case DestructorDeclarationSyntax ended: return (ended.TildeToken.SpanStart, "~" + ended.Identifier.ValueText);
            case OperatorDeclarationSyntax one:
                return (one.OperatorKeyword.SpanStart, "operator " + one.OperatorToken.Text);
            case ConversionOperatorDeclarationSyntax one:
                return (one.OperatorKeyword.SpanStart, "operator " + one.Type);
            case LocalFunctionStatementSyntax function: return named(function.Identifier);
            case VariableDeclaratorSyntax variable when variable.Parent?.Parent is BaseFieldDeclarationSyntax:
                return named(variable.Identifier);
            case EnumMemberDeclarationSyntax constant: return named(constant.Identifier);
            case ParameterSyntax parameter when parameter.Parent?.Parent is TypeDeclarationSyntax:
                return named(parameter.Identifier);
            default: return null;
        }
    }

    static string KindOf(ISymbol symbol)
    {
        switch (symbol)
        {
            case INamedTypeSymbol type when type.TypeKind == TypeKind.Interface: return "interface";
            case INamedTypeSymbol type when type.TypeKind == TypeKind.Enum: return "enum";
            case INamedTypeSymbol type when type.TypeKind == TypeKind.Delegate: return "type";
            case INamedTypeSymbol _: return "class";
            case IMethodSymbol method when method.MethodKind == MethodKind.LocalFunction: return "function";
            case IMethodSymbol _: return "method";
            case IPropertySymbol _: case IEventSymbol _: return "property";
            case IFieldSymbol _: return "field";
            default: return "other";
        }
    }

    // The symbol that a use means: what is declared, not an instance of a generic.
    static ISymbol Original(ISymbol symbol)
    {
        if (symbol is IMethodSymbol method)
        {
            method = method.ReducedFrom ?? method;
            method = method.OriginalDefinition;
            symbol = method.PartialDefinitionPart ?? method;
            if (symbol is IMethodSymbol accessor && accessor.AssociatedSymbol != null) symbol = accessor.AssociatedSymbol;
        }
        return symbol.OriginalDefinition;
    }

    // All declarations of one symbol stand for the first.
    object[]? Declared(ISymbol symbol)
    {
        var nodes = Original(symbol).DeclaringSyntaxReferences
            .Where(each => each.SyntaxTree.FilePath.Length > 0)
            .OrderBy(each => each.SyntaxTree.FilePath, StringComparer.Ordinal).ThenBy(each => each.Span.Start)
            .Select(each => Where(each.GetSyntax())).Where(each => each != null);
        return nodes.FirstOrDefault();
    }

    object[] Owner(SyntaxNode node)
    {
        for (var at = node; at.Parent != null; at = at.Parent)
        {
            if (at is AttributeListSyntax || at.Parent is ParameterSyntax) continue;
            var found = Where(at.Parent);
            if (found != null) return Named(at.Parent) ?? found;
        }
        return new object[] { PathOf(node.SyntaxTree), 0, "" };
    }

    object[]? Named(SyntaxNode node)
    {
        var symbol = model.GetDeclaredSymbol(node);
        return symbol == null ? null : Declared(symbol);
    }

    void Judge(string type, object[] at, object[] owner, IEnumerable<ISymbol> targets)
    {
        Add(new { judged = type, at });
        foreach (var to in targets.Select(Declared).Where(each => each != null))
            Add(new Dictionary<string, object> { ["type"] = type, ["from"] = owner, ["to"] = to!, ["at"] = at });
    }

    // uses

    void Visit(SyntaxNode node)
    {
        Declare(node);
        if (node is SimpleNameSyntax name && IsUse(name)) Reference(name);
        if (node is InvocationExpressionSyntax call) Call(call);
        else if (node is ConstructorInitializerSyntax first)
            Construct(first, first.ThisOrBaseKeyword, isNamed: false);
        else if (node is ObjectCreationExpressionSyntax made) Construct(made, LastName(made.Type).Identifier);
        else if (node.GetType().Name == "ImplicitObjectCreationExpressionSyntax") Construct(node, node.GetFirstToken());
        else if (node.GetType().Name == "PrimaryConstructorBaseTypeSyntax")
            Construct(node, LastName(((BaseTypeSyntax)node).Type).Identifier);
    }

    static SimpleNameSyntax LastName(TypeSyntax type)
    {
        while (true)
        {
            switch (type)
            {
                case QualifiedNameSyntax whole: type = whole.Right; break;
                case AliasQualifiedNameSyntax whole: type = whole.Name; break;
                case NullableTypeSyntax whole: type = whole.ElementType; break;
                case SimpleNameSyntax name: return name;
                default: return SyntaxFactory.IdentifierName("");
            }
        }
    }

    static bool IsUse(SimpleNameSyntax name)
    {
        if (name.Identifier.IsMissing || name.Identifier.ValueText == "var" || name.Identifier.ValueText == "_") return false;
        for (SyntaxNode? at = name; at != null; at = at.Parent)
            if (at is UsingDirectiveSyntax || at is ExternAliasDirectiveSyntax) return false;
        return !(name.Parent is NameColonSyntax) && !(name.Parent is NameEqualsSyntax);
    }

    static bool IsKnown(ISymbol? symbol) =>
        symbol != null && !(symbol is IErrorTypeSymbol) && !(symbol.ContainingType is IErrorTypeSymbol);

    void Reference(SimpleNameSyntax name)
    {
        var symbol = model.GetSymbolInfo(name).Symbol;
        if (!IsKnown(symbol) || symbol is INamespaceSymbol) return;
        if (symbol is IMethodSymbol made && made.MethodKind == MethodKind.Constructor) symbol = made.ContainingType;
        if (symbol is IMethodSymbol invoke && invoke.MethodKind == MethodKind.DelegateInvoke && name.Identifier.ValueText != "Invoke") return;
        Judge("references", At(name.Identifier), Owner(name), new[] { symbol! });
    }

    void Call(InvocationExpressionSyntax call)
    {
        var name = Callee(call.Expression);
        if (name == null || !(model.GetSymbolInfo(call).Symbol is IMethodSymbol method) || !IsKnown(method)) return;
        if (method.MethodKind == MethodKind.DelegateInvoke || (int)method.MethodKind == FunctionPointer) return;
        Judge("calls", At(name.Identifier), Owner(call), new[] { method });
    }

    static SimpleNameSyntax? Callee(ExpressionSyntax node)
    {
        switch (node)
        {
            case SimpleNameSyntax name: return name;
            case MemberAccessExpressionSyntax member: return member.Name;
            case MemberBindingExpressionSyntax member: return member.Name;
            case ParenthesizedExpressionSyntax inner: return Callee(inner.Expression);
            default: return null;
        }
    }

    // A created object calls its class, and the constructor if that is declared.
    void Construct(SyntaxNode node, SyntaxToken token, bool isNamed = true)
    {
        if (token.Text.Length == 0) return;
        if (!(model.GetSymbolInfo(node).Symbol is IMethodSymbol made) || !IsKnown(made)) return;
        if (made.ContainingType.TypeKind == TypeKind.Delegate) return;
        var targets = new List<ISymbol>();
        var isDeclared = !made.IsImplicitlyDeclared && made.DeclaringSyntaxReferences.Any(each => each.GetSyntax() is ConstructorDeclarationSyntax);
        if (isDeclared) targets.Add(made);
        if (isNamed || !isDeclared) targets.Add(made.ContainingType);
        Judge("calls", At(token), Owner(node), targets);
    }

    // declarations

    void Declare(SyntaxNode node)
    {
        var found = Where(node);
        if (found == null) return;
        var symbol = model.GetDeclaredSymbol(node);
        if (node is ParameterSyntax parameter)
            symbol = Property(parameter);
        if (symbol == null) return;
        var whole = Declared(symbol) ?? found;
        if (whole.SequenceEqual(found)) Add(new { declared = found, kind = KindOf(symbol) });
        else Add(new Dictionary<string, object> { ["same"] = found, ["is"] = whole });
        if (symbol is IMethodSymbol made && node is ConstructorDeclarationSyntax)
        {
            var holder = Declared(made.ContainingType);
            if (holder != null) Add(new Dictionary<string, object> { ["constructor"] = found, ["of"] = holder });
        }
        if (symbol is INamedTypeSymbol && node is BaseTypeDeclarationSyntax type) Bases(type, whole);
        if (!(symbol is INamedTypeSymbol) && !symbol.IsStatic) Overrides(node, symbol, whole);
    }

    ISymbol? Property(ParameterSyntax parameter)
    {
        var holder = model.GetDeclaredSymbol(parameter.Parent!.Parent!) as INamedTypeSymbol;
        return holder?.GetMembers(parameter.Identifier.ValueText).OfType<IPropertySymbol>()
            .FirstOrDefault(each => each.DeclaringSyntaxReferences.Any(one => one.GetSyntax() == parameter));
    }

    void Bases(BaseTypeDeclarationSyntax type, object[] whole)
    {
        if (type.BaseList == null || type is EnumDeclarationSyntax) return;
        foreach (var each in type.BaseList.Types)
        {
            var name = LastName(each.Type);
            var symbol = model.GetTypeInfo(each.Type).Type;
            if (name.Identifier.Text.Length == 0 || !IsKnown(symbol)) continue;
            Judge("implements", At(name.Identifier), whole, new[] { symbol! });
        }
    }

    // A member replaces what it overrides, and the members of interfaces that it is called for.
    void Overrides(SyntaxNode node, ISymbol symbol, object[] whole)
    {
        var type = symbol.ContainingType;
        if (!(symbol is IMethodSymbol || symbol is IPropertySymbol || symbol is IEventSymbol) || type == null) return;
        if (symbol is IMethodSymbol method && (method.MethodKind == MethodKind.Constructor || method.MethodKind == MethodKind.LocalFunction)) return;
        for (var at = type; at != null; at = at.BaseType)
            if (at is IErrorTypeSymbol || at.Interfaces.Any(each => each is IErrorTypeSymbol)) return;
        var found = new List<ISymbol>();
        var chain = new List<ISymbol> { symbol };
        for (var at = Overridden(symbol); at != null; at = Overridden(at))
        {
            if (chain.Count == 1) found.Add(at);
            chain.Add(at.OriginalDefinition);
        }
        if (type.TypeKind != TypeKind.Interface || IsExplicit(symbol))
            foreach (var each in type.AllInterfaces)
                foreach (var member in each.GetMembers())
                {
                    var done = type.FindImplementationForInterfaceMember(member)?.OriginalDefinition;
                    if (done != null && chain.Any(one => SymbolEqualityComparer.Default.Equals(one, done))) found.Add(member);
                }
        var name = NameOf(node)!.Value;
        var (line, column) = Position(node.SyntaxTree, name.Start);
        Judge("overrides", new object[] { PathOf(node.SyntaxTree), line, column }, whole, found);
    }

    static bool IsExplicit(ISymbol symbol) =>
        symbol is IMethodSymbol method ? method.ExplicitInterfaceImplementations.Any()
        : symbol is IPropertySymbol property ? property.ExplicitInterfaceImplementations.Any()
        : symbol is IEventSymbol one && one.ExplicitInterfaceImplementations.Any();

    static ISymbol? Overridden(ISymbol symbol) =>
        symbol is IMethodSymbol method ? method.OverriddenMethod
        : symbol is IPropertySymbol property ? property.OverriddenProperty
        : symbol is IEventSymbol one ? (ISymbol?)one.OverriddenEvent : null;
}
