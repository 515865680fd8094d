// Writes the declarations of Rust files as JSON lines: the paths are read from standard input.

use std::io::BufRead;
use syn::visit::{self, Visit};

struct Writer {
    path: String,
    functions: usize,
}

impl Writer {
    fn write(&self, kind: &str, name: &syn::Ident) {
        let name_text = name.to_string();
        let line = name.span().start().line;
        println!(
            "{{\"path\": {:?}, \"kind\": \"{}\", \"name\": {:?}, \"line\": {}}}",
            self.path, kind, name_text.trim_start_matches("r#"), line
        );
    }
}

impl<'a> Visit<'a> for Writer {
    fn visit_block(&mut self, node: &'a syn::Block) {
        self.functions += 1;
        visit::visit_block(self, node);
        self.functions -= 1;
    }
    fn visit_item_fn(&mut self, node: &'a syn::ItemFn) {
        self.write("function", &node.sig.ident);
        visit::visit_item_fn(self, node);
    }
    fn visit_foreign_item_fn(&mut self, node: &'a syn::ForeignItemFn) {
        self.write("function", &node.sig.ident);
    }
    fn visit_impl_item_method(&mut self, node: &'a syn::ImplItemMethod) {
        self.write("method", &node.sig.ident);
        visit::visit_impl_item_method(self, node);
    }
    fn visit_trait_item_method(&mut self, node: &'a syn::TraitItemMethod) {
        self.write("method", &node.sig.ident);
        visit::visit_trait_item_method(self, node);
    }
    fn visit_item_struct(&mut self, node: &'a syn::ItemStruct) {
        self.write("type", &node.ident);
        visit::visit_item_struct(self, node);
    }
    fn visit_item_enum(&mut self, node: &'a syn::ItemEnum) {
        self.write("type", &node.ident);
        for variant in &node.variants {
            self.write("enumerator", &variant.ident);
        }
    }
    fn visit_item_union(&mut self, node: &'a syn::ItemUnion) {
        self.write("type", &node.ident);
        visit::visit_item_union(self, node);
    }
    fn visit_item_trait(&mut self, node: &'a syn::ItemTrait) {
        self.write("type", &node.ident);
        visit::visit_item_trait(self, node);
    }
    fn visit_item_type(&mut self, node: &'a syn::ItemType) {
        self.write("type", &node.ident);
    }
    fn visit_item_mod(&mut self, node: &'a syn::ItemMod) {
        self.write("module", &node.ident);
        visit::visit_item_mod(self, node);
    }
    fn visit_item_const(&mut self, node: &'a syn::ItemConst) {
        if self.functions == 0 && node.ident != "_" {
            self.write("const", &node.ident);
        }
        visit::visit_item_const(self, node);
    }
    fn visit_item_static(&mut self, node: &'a syn::ItemStatic) {
        if self.functions == 0 {
            self.write("var", &node.ident);
        }
        visit::visit_item_static(self, node);
    }
    fn visit_impl_item_const(&mut self, node: &'a syn::ImplItemConst) {
        self.write("const", &node.ident);
    }
    fn visit_trait_item_const(&mut self, node: &'a syn::TraitItemConst) {
        self.write("const", &node.ident);
    }
    fn visit_trait_item_type(&mut self, node: &'a syn::TraitItemType) {
        self.write("type", &node.ident);
    }
    fn visit_impl_item_type(&mut self, node: &'a syn::ImplItemType) {
        self.write("type", &node.ident);
    }
    fn visit_field(&mut self, node: &'a syn::Field) {
        if let Some(name) = &node.ident {
            self.write("field", name);
        }
    }
    fn visit_item_macro(&mut self, node: &'a syn::ItemMacro) {
        if let Some(name) = &node.ident {
            self.write("macro", name);
        }
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let path = line.unwrap();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        match syn::parse_file(&text) {
            Ok(file) => Writer { path, functions: 0 }.visit_file(&file),
            Err(_) => println!("{{\"failed\": {:?}}}", path),
        }
    }
}
