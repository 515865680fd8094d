mod memory;

pub use self::memory::Memory;
use crate::job::Job;

pub trait Backend: Sized {
    fn store(&mut self, job: Job);
    fn next(&mut self) -> Option<Job>;

    fn drain(mut self) -> usize {
        let mut count = 0;
        while self.next().is_some() {
            count += 1;
        }
        count
    }
}
