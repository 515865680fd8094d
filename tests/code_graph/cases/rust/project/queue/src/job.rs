use std::fmt;

pub struct Job {
    number: u32,
}

#[derive(Debug)]
pub enum Failure {
    Zero,
    Other(u32),
}

pub trait Describe {
    fn label(&self) -> String;

    fn describe(&self) {
        crate::write_line(self.label());
    }
}

impl Job {
    pub fn new(number: u32) -> Job {
        Job { number }
    }

    pub fn named(name: &str) -> Self {
        Self::new(length(name))
    }

    pub fn name(&self) -> String {
        self.label()
    }

    pub fn run(&self) -> Result<(), Failure> {
        match self.number {
            0 => Err(Failure::Zero),
            other => verify(other).map(|_| ()),
        }
    }

    pub fn describe(&self) {
        <Self as Describe>::describe(self);
    }
}

impl Describe for Job {
    fn label(&self) -> String {
        format!("job {}", self.number)
    }
}

impl Failure {
    pub fn code(&self) -> usize {
        match self {
            Failure::Zero => 0,
            Failure::Other(code) => *code as usize,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.code())
    }
}

fn length(text: &str) -> u32 {
    text.len() as u32
}

fn verify(number: u32) -> Result<u32, Failure> {
    if number > 9 {
        return Err(Failure::Other(number));
    }
    Ok(number)
}
