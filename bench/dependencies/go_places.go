// Tells where go/types finds the declarations of names.
//
//	go run go_places.go ROOT MODULE MODULES < QUESTIONS
//
// MODULES is a JSON table of the paths of modules with their folders. QUESTIONS is a JSON list of
// [path, line, column]; the answer a list of lists of [path, line]. A name that the checker does not
// resolve has no place.
package main

import (
	"encoding/json"
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
	"unicode/utf8"
)

type question struct {
	path         string
	line, column int
}

type checker struct {
	fset     *token.FileSet
	root     string
	modules  map[string]string
	standard types.Importer
	known    map[string]*types.Package
	lines    map[string][]string
	found    map[question][]any
}

// Import checks a package of the project or of a module without the bodies of its functions.
func (c *checker) Import(path string) (*types.Package, error) {
	if found, ok := c.known[path]; ok {
		return found, nil
	}
	if !strings.Contains(strings.Split(path, "/")[0], ".") {
		if found, err := c.standard.Import(path); err == nil {
			return found, nil
		}
	}
	found := types.NewPackage(path, filepath.Base(path))
	found.MarkComplete()
	c.known[path] = found
	folder := c.folder(path)
	if folder == "" {
		return found, nil
	}
	config := types.Config{
		Importer: c, Error: func(error) {}, FakeImportC: true, IgnoreFuncBodies: true,
	}
	for _, files := range c.parse(folder, false) {
		if checked, _ := config.Check(path, c.fset, files, nil); checked != nil {
			c.known[path] = checked
		}
	}
	return c.known[path], nil
}

// folder is that of the module with the longest path before a package's.
func (c *checker) folder(path string) string {
	for module := path; module != "."; module = filepath.Dir(module) {
		if folder, ok := c.modules[module]; ok {
			return filepath.Join(folder, strings.TrimPrefix(path, module))
		}
	}
	return ""
}

// parse gives the files of each package in a folder; those of tests alone are not for others.
func (c *checker) parse(folder string, withTests bool) map[string][]*ast.File {
	parts := map[string][]*ast.File{}
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	sort.Strings(names)
	context := build.Default
	context.CgoEnabled = true
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && !withTests {
			continue
		}
		if ok, err := context.MatchFile(folder, filepath.Base(name)); err != nil || !ok {
			continue
		}
		file, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		if err == nil && file != nil {
			parts[file.Name.Name] = append(parts[file.Name.Name], file)
		}
	}
	return parts
}

func (c *checker) judge(folder string, path string) {
	for _, files := range c.parse(folder, true) {
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
		config.Check(path, c.fset, files, info)
		for name, object := range info.Uses {
			c.use(name, object)
		}
	}
}

func (c *checker) use(name *ast.Ident, object types.Object) {
	switch item := object.(type) {
	case *types.PkgName, *types.Label:
		return
	case *types.Func:
		object = item.Origin()
	case *types.Var:
		object = item.Origin()
	}
	if !object.Pos().IsValid() {
		return
	}
	target := c.fset.Position(object.Pos())
	c.found[c.at(name.Pos())] = []any{target.Filename, target.Line}
}

// at is the place of a name, with the column in characters.
func (c *checker) at(at token.Pos) question {
	place := c.fset.Position(at)
	lines, ok := c.lines[place.Filename]
	if !ok {
		text, _ := os.ReadFile(place.Filename)
		lines = strings.Split(string(text), "\n")
		c.lines[place.Filename] = lines
	}
	path, _ := filepath.Rel(c.root, place.Filename)
	column := utf8.RuneCountInString(lines[place.Line-1][:place.Column-1])
	return question{filepath.ToSlash(path), place.Line, column}
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	fset := token.NewFileSet()
	c := &checker{
		fset: fset, root: root, modules: map[string]string{}, known: map[string]*types.Package{},
		standard: importer.ForCompiler(fset, "source", nil), lines: map[string][]string{},
		found: map[question][]any{},
	}
	if err := json.Unmarshal([]byte(os.Args[3]), &c.modules); err != nil {
		panic(err)
	}
	c.modules[os.Args[2]] = root
	asked := [][]any{}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	questions := []question{}
	folders := map[string]bool{}
	for _, item := range asked {
		each := question{item[0].(string), int(item[1].(float64)), int(item[2].(float64))}
		questions = append(questions, each)
		folders[filepath.Dir(each.path)] = true
	}
	for folder := range folders {
		path := os.Args[2]
		if folder != "." {
			path += "/" + filepath.ToSlash(folder)
		}
		c.judge(filepath.Join(root, folder), path)
	}
	answers := [][]any{}
	for _, each := range questions {
		answer := []any{}
		if place, ok := c.found[each]; ok {
			answer = append(answer, place)
		}
		answers = append(answers, answer)
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
