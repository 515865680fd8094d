// A checker of Go that stays up: each line on its input asks for all errors of the module.
//
// go/types goes on behind errors, in packages that need one with errors, too, which a build leaves
// out. A test is checked with the files of its package. Packages from outside are read once.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

type answer struct {
	Errors [][]any  `json:"errors"`
	Unused [][]any  `json:"unused"`
	Files  []string `json:"files"`
}

type checker struct {
	root, module string
	outside      types.Importer
	fset         *token.FileSet
	packages     map[string]*types.Package
	tested       *types.Package
	said         answer
}

func (c *checker) Import(path string) (*types.Package, error) {
	if path != c.module && !strings.HasPrefix(path, c.module+"/") {
		return c.outside.Import(path)
	}
	if known, ok := c.packages[path]; ok {
		return known, nil
	}
	c.packages[path] = types.NewPackage(path, "") // one that imports itself
	parts := c.parsed(filepath.Join(c.root, strings.TrimPrefix(path, c.module)), false)
	for _, files := range parts {
		config := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
		made, _ := config.Check(path, c.fset, files, nil)
		c.packages[path] = made
	}
	return c.packages[path], nil
}

// parsed are the files of a folder that are built here, by the names of their packages.
func (c *checker) parsed(folder string, tests bool) map[string][]*ast.File {
	parts := map[string][]*ast.File{}
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, name := range names {
		if !tests && strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(folder, filepath.Base(name)); err != nil || !ok {
			continue
		}
		file, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution|parser.AllErrors)
		if err != nil {
			c.report(err)
		}
		if file != nil {
			parts[file.Name.Name] = append(parts[file.Name.Name], file)
		}
	}
	return parts
}

func (c *checker) report(err error) {
	if found, ok := err.(types.Error); ok {
		place := found.Fset.Position(found.Pos)
		line := []any{c.relative(place.Filename), place.Line}
		if strings.HasSuffix(found.Msg, " and not used") {
			c.said.Unused = append(c.said.Unused, line)
		} else {
			c.said.Errors = append(c.said.Errors, line)
		}
	}
}

func (c *checker) relative(name string) string {
	found, _ := filepath.Rel(c.root, name)
	return filepath.ToSlash(found)
}

func (c *checker) check() answer {
	c.fset, c.packages = token.NewFileSet(), map[string]*types.Package{}
	c.said = answer{[][]any{}, [][]any{}, []string{}}
	filepath.WalkDir(c.root, func(folder string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		name := entry.Name()
		if folder != c.root && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor") {
			return filepath.SkipDir
		}
		_, err = os.Stat(filepath.Join(folder, "go.mod"))
		if folder != c.root && err == nil {
			return filepath.SkipDir // another module
		}
		path := c.module
		if folder != c.root {
			path += "/" + c.relative(folder)
		}
		c.checkFolder(folder, path)
		return nil
	})
	return c.said
}

// checkFolder checks the package of a folder with its tests, then that of tests, which sees these.
func (c *checker) checkFolder(folder, path string) {
	parts := c.parsed(folder, true)
	for _, isOutside := range []bool{false, true} {
		for name, files := range parts {
			if strings.HasSuffix(name, "_test") != isOutside {
				continue
			}
			config := types.Config{Importer: c, Error: c.report, FakeImportC: true}
			alone, isKnown := c.packages[path]
			if isOutside && c.tested != nil {
				c.packages[path] = c.tested
			}
			made, _ := config.Check(path, c.fset, files, nil)
			delete(c.packages, path)
			if isKnown {
				c.packages[path] = alone
			}
			if !isOutside {
				c.tested = made
			}
			for _, file := range files {
				c.said.Files = append(c.said.Files, c.relative(c.fset.Position(file.Pos()).Filename))
			}
		}
	}
	c.tested = nil
}

func main() {
	root, _ := os.Getwd()
	outside := importer.ForCompiler(token.NewFileSet(), "source", nil)
	c := &checker{root: root, module: os.Args[1], outside: outside}
	asked := bufio.NewScanner(os.Stdin)
	told := json.NewEncoder(os.Stdout)
	for asked.Scan() {
		told.Encode(c.check())
	}
}
