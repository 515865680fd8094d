use std::ops::Deref;

fn walk(depth: u8) -> u8 {
    depth
}

pub struct Tree;

impl Tree {
    pub fn walk(&self) -> u8 {
        walk(1)
    }

    pub fn twice(&self) -> u8 {
        self.walk() + Self::walk(self)
    }
}

pub struct Held(Tree);

impl Deref for Held {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.0
    }
}

pub fn through(held: &Held) -> u8 {
    held.walk() + (*held).twice()
}
