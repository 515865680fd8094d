class Bucket:
    def put(self):
        return 1


buckets = {}
bucket = Bucket()
buckets.setdefault("a", bucket).put()
