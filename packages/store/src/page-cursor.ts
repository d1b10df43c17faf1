/** Pages of this package have the places and sizes that all pages have. */
export { pageLimit, readCursor, writeCursor } from '@adjutant/core'
