pub struct Pages {
    count: usize,
}

pub struct IntoIter {
    left: usize,
}

impl IntoIter {
    pub fn new(left: usize) -> IntoIter {
        IntoIter { left }
    }
}

impl Iterator for IntoIter {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left)
    }
}

impl IntoIterator for Pages {
    type Item = usize;
    // the struct: an associated type has no name but behind `Self::`
    type IntoIter = IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        IntoIter::new(self.count)
    }
}
