// Writes which named types of a Go module implement which of its named interfaces, as JSON lines.
//
//	go run go_interfaces.go go_oracle.go ROOT MODULE [FILE]
//
// With FILE, that gets the truth about all names instead.
//
// Every package below ROOT is checked by go/types, without its tests. Packages outside of the module
// and of the standard library are empty; a pair with a method of unknown types is written as unknown.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type row struct {
	Type      []any `json:"type"`
	Interface []any `json:"interface"`
	Unknown   bool  `json:"unknown"`
}

type checker struct {
	fset     *token.FileSet
	root     string
	module   string
	standard types.Importer
	known    map[string]*types.Package
	all      []*types.Package
	files    []string
	// folders with the paths of their packages, and what is known of the names of files
	folders [][2]string
	infos   map[*ast.File]*types.Info
}

func (c *checker) Import(path string) (*types.Package, error) {
	if path == c.module || strings.HasPrefix(path, c.module+"/") {
		return c.folder(filepath.Join(c.root, strings.TrimPrefix(path, c.module)), path), nil
	}
	if !strings.Contains(strings.Split(path, "/")[0], ".") {
		if found, err := c.standard.Import(path); err == nil {
			return found, nil
		}
	}
	found := types.NewPackage(path, filepath.Base(path))
	found.MarkComplete()
	return found, nil
}

func (c *checker) folder(folder, path string) *types.Package {
	if found, ok := c.known[path]; ok {
		return found
	}
	empty := types.NewPackage(path, filepath.Base(path))
	empty.MarkComplete()
	c.known[path] = empty
	c.folders = append(c.folders, [2]string{folder, path})
	parts := map[string][]*ast.File{}
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	sort.Strings(names)
	context := build.Default
	context.CgoEnabled = true
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := context.MatchFile(filepath.Dir(name), filepath.Base(name)); err != nil || !ok {
			continue
		}
		file, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		if err != nil || file == nil {
			continue
		}
		inner, _ := filepath.Rel(c.root, name)
		c.files = append(c.files, inner)
		parts[file.Name.Name] = append(parts[file.Name.Name], file)
	}
	labels := []string{}
	for label := range parts {
		labels = append(labels, label)
	}
	sort.Strings(labels)
	for _, label := range labels {
		config := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
		info := newInfo()
		found, _ := config.Check(path, c.fset, parts[label], info)
		for _, file := range parts[label] {
			c.infos[file] = info
		}
		c.all = append(c.all, found)
		c.known[path] = found
	}
	return c.known[path]
}

func hasUnknown(kind types.Type) bool { return strings.Contains(kind.String(), "invalid type") }

// hasUnknownPart tells whether an interface embeds one of a package that is not there.
func hasUnknownPart(kind *types.Interface) bool {
	for number := 0; number < kind.NumEmbeddeds(); number++ {
		inner := kind.EmbeddedType(number)
		if hasUnknown(inner) {
			return true
		}
		if next, ok := inner.Underlying().(*types.Interface); ok && hasUnknownPart(next) {
			return true
		}
	}
	return false
}

// isUnknown tells whether the underlying type of a name is not there.
func isUnknown(object *types.TypeName) bool {
	return object.Type().Underlying() == types.Typ[types.Invalid]
}

func place(c *checker, object types.Object) []any {
	at := c.fset.Position(object.Pos())
	name, _ := filepath.Rel(c.root, at.Filename)
	return []any{name, at.Line, object.Name()}
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	fset := token.NewFileSet()
	c := &checker{
		fset: fset, root: root, module: os.Args[2],
		standard: importer.ForCompiler(fset, "source", nil), known: map[string]*types.Package{},
		infos: map[*ast.File]*types.Info{},
	}
	filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.IsDir() {
			return nil
		}
		name := info.Name()
		if path != root && (strings.HasPrefix(name, ".") || name == "vendor" || name == "testdata") {
			return filepath.SkipDir
		}
		inner, _ := filepath.Rel(root, path)
		full := c.module
		if inner != "." {
			full += "/" + filepath.ToSlash(inner)
		}
		c.folder(path, full)
		return nil
	})
	if len(os.Args) > 3 {
		writeTruth(c, os.Args[3])
		return
	}
	out := json.NewEncoder(os.Stdout)
	for _, name := range c.files {
		out.Encode(map[string]any{"file": name})
	}
	_, interfaces := namedTypes(c)
	for _, object := range interfaces {
		out.Encode(map[string]any{"declared": place(c, object)})
	}
	pairs(c, func(object, other *types.TypeName, unknown bool) {
		out.Encode(row{place(c, object), place(c, other), unknown})
	})
}

// namedTypes lists the types of the module that are no interfaces, and its interfaces with methods.
func namedTypes(c *checker) ([]*types.TypeName, []*types.TypeName) {
	named, interfaces := []*types.TypeName{}, []*types.TypeName{}
	seen := map[string]bool{}
	for _, pkg := range c.all {
		for _, label := range pkg.Scope().Names() {
			object, ok := pkg.Scope().Lookup(label).(*types.TypeName)
			if !ok || object.IsAlias() || seen[fmt.Sprint(place(c, object))] {
				continue
			}
			seen[fmt.Sprint(place(c, object))] = true
			if inner, ok := object.Type().Underlying().(*types.Interface); ok {
				if inner.NumMethods() > 0 && inner.IsMethodSet() {
					interfaces = append(interfaces, object)
				}
			} else {
				named = append(named, object)
			}
		}
	}
	return named, interfaces
}

// pairs finds the types that implement an interface, and returns all types.
func pairs(c *checker, found func(object, other *types.TypeName, unknown bool)) []*types.TypeName {
	named, interfaces := namedTypes(c)
	for _, object := range named {
		for _, other := range interfaces {
			wanted := other.Type().Underlying().(*types.Interface)
			set := types.NewMethodSet(types.NewPointer(object.Type()))
			unknown, all := hasUnknownPart(wanted) || isUnknown(object), true
			for number := 0; number < wanted.NumMethods(); number++ {
				method := wanted.Method(number)
				mine := set.Lookup(method.Pkg(), method.Name())
				if mine == nil {
					all = false
					break
				}
				unknown = unknown || hasUnknown(method.Type()) || hasUnknown(mine.Type())
			}
			unknown = unknown || isGeneric(other)
			if all && (unknown || implements(object, wanted)) {
				found(object, other, unknown)
			}
		}
	}
	return named
}

func implements(object *types.TypeName, wanted *types.Interface) bool {
	return types.Implements(object.Type(), wanted) ||
		types.Implements(types.NewPointer(object.Type()), wanted)
}

