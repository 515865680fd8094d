use queue::job::Job;
use queue::{start, Memory, Queue};

fn main() {
    start();
    let mut queue = Queue::new(Memory::default());
    queue.push(Job::named("main"));
    if let Err(failure) = queue.work() {
        std::process::exit(failure.code() as i32);
    }
}
