from collections import defaultdict


class Bucket:
    def put(self):
        return 1


buckets = defaultdict(Bucket)
buckets["a"].put()
