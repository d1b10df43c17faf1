import { workSuite } from '../../test/work-suite.ts'

workSuite('SQLite', async () => 'sqlite:BASE/store.db')
