import { math, text } from './all'
import { join } from './text.js'

math.add(1, 2)
text.join('a')
join('b')
