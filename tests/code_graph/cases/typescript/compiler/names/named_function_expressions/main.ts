export const visit = function walk(depth: number): number {
  return depth ? walk(depth - 1) : end()
}

const end = () => 0

visit(2)
