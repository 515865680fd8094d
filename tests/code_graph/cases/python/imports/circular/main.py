import left

left.go(2)
