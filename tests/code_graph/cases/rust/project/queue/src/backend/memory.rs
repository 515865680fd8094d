use super::Backend;
use crate::job::Job;

#[derive(Default)]
pub struct Memory {
    jobs: Vec<Job>,
}

impl Backend for Memory {
    fn store(&mut self, job: Job) {
        self.jobs.push(job);
        self.sort();
    }

    fn next(&mut self) -> Option<Job> {
        self.jobs.pop()
    }
}

impl Memory {
    fn sort(&mut self) {
        self.jobs.sort_by_key(|job| job.name());
    }
}
