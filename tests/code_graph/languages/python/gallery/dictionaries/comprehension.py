class Job:
    def run(self):
        return 1


jobs = {name: Job() for name in ("a", "b")}
jobs["a"].run()
for job in jobs.values():
    job.run()
