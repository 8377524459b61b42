/** The longest delay of a timer, in milliseconds. Node.js fires a longer one at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
