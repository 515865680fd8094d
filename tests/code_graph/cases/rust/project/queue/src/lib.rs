//! A queue of jobs.

mod backend;
pub mod job;

pub use backend::{Backend, Memory};
use job::Job;

pub struct Queue<B: Backend> {
    backend: B,
    done: usize,
}

impl<B: Backend> Queue<B> {
    pub fn new(backend: B) -> Self {
        let mut queue = Self { backend, done: 0 };
        queue.reset();
        queue
    }

    fn reset(&mut self) {
        self.done = 0;
    }

    pub fn push(&mut self, job: Job) -> &mut Self {
        self.backend.store(job);
        self
    }

    pub fn work(&mut self) -> Result<usize, job::Failure> {
        while let Some(job) = self.backend.next() {
            job.run()?;
            self.done += 1;
            log!("done {}", job.name());
        }
        Ok(self.done)
    }
}

#[macro_export]
macro_rules! log {
    ($($part:tt)*) => {
        $crate::write_line(format!($($part)*))
    };
}

pub fn write_line(text: String) {
    println!("{text}");
}

pub fn start() -> usize {
    let mut queue = Queue::new(Memory::default());
    queue.push(Job::named("a")).push(Job::new(2));
    let jobs = [1, 2].iter().map(|number| Job::new(*number)).collect::<Vec<Job>>();
    jobs.iter().for_each(|job| job.describe());
    queue.work().unwrap_or_else(|failure| failure.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        assert_eq!(start(), helper());
    }

    fn helper() -> usize {
        2
    }
}
