import { one } from '@lib/one'
import { two } from '@lib/two'

one()
two()
