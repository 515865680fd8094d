from top.inner.deep import worker

worker.work()
