import { Parser, parse, format as show } from './lib'
import * as lib from './lib'
import start from './lib/start'

const parser = new Parser()
parser.run()
parse('a')
show('b')
lib.helper()
start()
