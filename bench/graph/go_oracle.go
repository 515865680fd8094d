// Writes what go/types says of every name of a module, as rows of truth.
//
// A test is checked with the files of its package; a package of tests sees the one that it tests
// without those. A name that the checker does not resolve is no row.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

type truthWriter struct {
	c     *checker
	out   *json.Encoder
	lines map[string][]string
	known map[string]bool
}

func newInfo() *types.Info {
	return &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}
}

func writeTruth(c *checker, name string) {
	file, err := os.Create(name)
	if err != nil {
		panic(err)
	}
	buffer := bufio.NewWriter(file)
	w := &truthWriter{c, json.NewEncoder(buffer), map[string][]string{}, map[string]bool{}}
	checked := map[*ast.File]*types.Info{}
	for file := range c.infos {
		checked[file] = c.infos[file]
	}
	for _, folder := range c.folders {
		w.checkTests(folder, checked)
	}
	files := []*ast.File{}
	for file := range checked {
		files = append(files, file)
	}
	sort.Slice(files, func(a, b int) bool { return w.path(files[a].Pos()) < w.path(files[b].Pos()) })
	for _, file := range files {
		w.declare(file, checked[file])
	}
	for _, file := range files {
		w.refer(file, checked[file])
	}
	w.implement()
	buffer.Flush()
	file.Close()
}

// checkTests checks the test files of a folder, each package of them with what it is part of.
func (w *truthWriter) checkTests(folder [2]string, checked map[*ast.File]*types.Info) {
	parts := map[string][]*ast.File{}
	tests := map[*ast.File]bool{}
	names, _ := filepath.Glob(filepath.Join(folder[0], "*.go"))
	sort.Strings(names)
	for _, name := range names {
		if ok, err := build.Default.MatchFile(filepath.Dir(name), filepath.Base(name)); err != nil || !ok {
			continue
		}
		file, err := parser.ParseFile(w.c.fset, name, nil, parser.SkipObjectResolution)
		if err != nil || file == nil {
			continue
		}
		tests[file] = strings.HasSuffix(name, "_test.go")
		parts[file.Name.Name] = append(parts[file.Name.Name], file)
	}
	for _, files := range parts {
		info := newInfo()
		config := types.Config{Importer: w.c, Error: func(error) {}, FakeImportC: true}
		config.Check(folder[1], w.c.fset, files, info)
		for _, file := range files {
			if tests[file] {
				checked[file] = info
			}
		}
	}
}

func (w *truthWriter) path(at token.Pos) string {
	name, _ := filepath.Rel(w.c.root, w.c.fset.Position(at).Filename)
	return filepath.ToSlash(name)
}

// at is the place of a name: path, line, and column in characters.
func (w *truthWriter) at(at token.Pos) []any {
	place := w.c.fset.Position(at)
	lines, ok := w.lines[place.Filename]
	if !ok {
		text, _ := os.ReadFile(place.Filename)
		lines = strings.Split(string(text), "\n")
		w.lines[place.Filename] = lines
	}
	line := lines[place.Line-1]
	return []any{w.path(at), place.Line, utf8.RuneCountInString(line[:min(place.Column-1, len(line))])}
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

// where is a declaration: path, line, name; nothing for what is outside of the module.
func (w *truthWriter) where(object types.Object) []any {
	if object == nil || !object.Pos().IsValid() {
		return nil
	}
	path := w.path(object.Pos())
	if strings.HasPrefix(path, "..") {
		return nil
	}
	return []any{path, w.c.fset.Position(object.Pos()).Line, w.name(object)}
}

// name is the name of a declaration; that of a method has its type where this is in another file.
func (w *truthWriter) name(object types.Object) string {
	function, ok := object.(*types.Func)
	if !ok || function.Type().(*types.Signature).Recv() == nil {
		return object.Name()
	}
	holder := function.Type().(*types.Signature).Recv().Type()
	if pointer, ok := holder.(*types.Pointer); ok {
		holder = pointer.Elem()
	}
	if named, ok := holder.(*types.Named); ok && w.path(named.Obj().Pos()) != w.path(object.Pos()) {
		return named.Obj().Name() + "." + object.Name()
	}
	return object.Name()
}

func (w *truthWriter) kind(object types.Object) string {
	isTop := object.Pkg() != nil && object.Parent() == object.Pkg().Scope()
	switch item := object.(type) {
	case *types.Func:
		if item.Type().(*types.Signature).Recv() != nil {
			return "method"
		}
		return "function"
	case *types.TypeName:
		if _, ok := item.Type().(*types.TypeParam); ok {
			return ""
		}
		if types.IsInterface(item.Type()) {
			return "interface"
		}
		if item.IsAlias() {
			return "type"
		}
		return "class"
	case *types.Var:
		if item.IsField() {
			return "field"
		}
		if isTop {
			return "variable"
		}
	case *types.Const:
		if isTop {
			return "variable"
		}
	}
	return ""
}

func (w *truthWriter) declare(file *ast.File, info *types.Info) {
	ast.Inspect(file, func(node ast.Node) bool {
		name, ok := node.(*ast.Ident)
		if !ok || info.Defs[name] == nil || name.Name == "_" {
			return true
		}
		object := info.Defs[name]
		if kind := w.kind(object); kind != "" {
			where := w.where(object)
			w.known[key(where)] = true
			w.out.Encode(map[string]any{"declared": where, "kind": kind})
		}
		return true
	})
}

func key(where []any) string {
	text, _ := json.Marshal(where)
	return string(text)
}

func (w *truthWriter) refer(file *ast.File, info *types.Info) {
	for _, declared := range file.Decls {
		switch item := declared.(type) {
		case *ast.FuncDecl:
			w.visit(item, w.where(info.Defs[item.Name]), info)
		case *ast.GenDecl:
			for _, spec := range item.Specs {
				source := []any{w.path(file.Pos()), 0, ""}
				switch inner := spec.(type) {
				case *ast.ImportSpec:
					continue
				case *ast.TypeSpec:
					source = w.where(info.Defs[inner.Name])
				case *ast.ValueSpec:
					if inner.Names[0].Name != "_" {
						source = w.where(info.Defs[inner.Names[0]])
					}
				}
				w.visit(spec, source, info)
			}
		}
	}
}

func (w *truthWriter) visit(node ast.Node, source []any, info *types.Info) {
	if source == nil {
		source = []any{w.path(node.Pos()), 0, ""}
	}
	called := map[*ast.Ident]bool{}
	ast.Inspect(node, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if name := named(call.Fun); name != nil {
				called[name] = true
			}
		}
		name, ok := node.(*ast.Ident)
		if !ok {
			return true
		}
		object := info.Uses[name]
		switch object.(type) {
		case nil, *types.PkgName, *types.Label:
			return true
		}
		w.use("references", name, object, source)
		_, isVariable := object.(*types.Var)
		if called[name] && !isVariable {
			w.use("calls", name, object, source)
		}
		return true
	})
}

// use writes that a name is judged, and its edge if it means a declaration of the module.
func (w *truthWriter) use(kind string, name *ast.Ident, object types.Object, source []any) {
	switch item := object.(type) {
	case *types.Func:
		object = item.Origin()
	case *types.Var:
		object = item.Origin()
	}
	if isUnknown, ok := object.(*types.TypeName); ok && hasUnknown(isUnknown.Type()) {
		return
	}
	at := w.at(name.Pos())
	w.out.Encode(map[string]any{"judged": kind, "at": at})
	target := w.where(object)
	_, isFunction := object.(*types.Func)
	if target == nil || !w.known[key(target)] || (kind == "calls" && !isFunction) {
		return
	}
	w.out.Encode(map[string]any{"type": kind, "from": source, "to": target, "at": at})
}

// named is the name of what is called: f of f(), p.f(), x.f[int](), (f)().
func named(node ast.Expr) *ast.Ident {
	switch item := node.(type) {
	case *ast.Ident:
		return item
	case *ast.SelectorExpr:
		return item.Sel
	case *ast.ParenExpr:
		return named(item.X)
	case *ast.IndexExpr:
		return named(item.X)
	case *ast.IndexListExpr:
		return named(item.X)
	}
	return nil
}

// isGeneric tells whether a type has type parameters: what it implements depends on these.
func isGeneric(object *types.TypeName) bool {
	named, ok := object.Type().(*types.Named)
	return ok && named.TypeParams().Len() > 0
}

// implement writes the interfaces of the module that its types implement, at the types' names.
func (w *truthWriter) implement() {
	unknown := map[string]bool{}
	rows := []map[string]any{}
	named := pairs(w.c, func(object, other *types.TypeName, isUnknown bool) {
		at := key(w.at(object.Pos()))
		unknown[at] = unknown[at] || isUnknown || isGeneric(object) || isGeneric(other)
		rows = append(rows, map[string]any{
			"type": "implements", "from": w.where(object), "to": w.where(other), "at": w.at(object.Pos()),
		})
	})
	for _, object := range named {
		if isGeneric(object) {
			continue
		}
		if at := w.at(object.Pos()); !unknown[key(at)] {
			w.out.Encode(map[string]any{"judged": "implements", "at": at})
		}
	}
	for _, row := range rows {
		if !unknown[key(row["at"].([]any))] {
			w.out.Encode(row)
		}
	}
}
