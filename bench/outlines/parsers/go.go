// Writes the declarations of Go files as JSON lines: the paths are read from standard input.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

var out = json.NewEncoder(os.Stdout)
var fset = token.NewFileSet()

func write(path, kind string, name *ast.Ident) {
	if name != nil && name.Name != "_" {
		out.Encode(map[string]any{
			"path": path, "kind": kind, "name": name.Name, "line": fset.Position(name.Pos()).Line,
		})
	}
}

func baseName(kind ast.Expr) *ast.Ident {
	switch inner := kind.(type) {
	case *ast.Ident:
		return inner
	case *ast.StarExpr:
		return baseName(inner.X)
	case *ast.SelectorExpr:
		return inner.Sel
	case *ast.IndexExpr:
		return baseName(inner.X)
	case *ast.IndexListExpr:
		return baseName(inner.X)
	}
	return nil
}

func members(path string, kind ast.Expr) {
	switch inner := kind.(type) {
	case *ast.StructType:
		for _, field := range inner.Fields.List {
			for _, name := range field.Names {
				write(path, "field", name)
			}
			if len(field.Names) == 0 {
				write(path, "field", baseName(field.Type))
			}
			members(path, field.Type)
		}
	case *ast.InterfaceType:
		for _, method := range inner.Methods.List {
			for _, name := range method.Names {
				write(path, "method", name)
			}
		}
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		path := lines.Text()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			out.Encode(map[string]any{"failed": path})
			continue
		}
		write(path, "package", file.Name)
		for _, decl := range file.Decls {
			switch inner := decl.(type) {
			case *ast.FuncDecl:
				if inner.Recv != nil {
					write(path, "method", inner.Name)
				} else {
					write(path, "function", inner.Name)
				}
			case *ast.GenDecl:
				for _, spec := range inner.Specs {
					switch one := spec.(type) {
					case *ast.TypeSpec:
						write(path, "type", one.Name)
						members(path, one.Type)
					case *ast.ValueSpec:
						for _, name := range one.Names {
							write(path, inner.Tok.String(), name)
						}
					}
				}
			}
		}
	}
}
