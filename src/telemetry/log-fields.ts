/** What a line of a log is about, by name: text, numbers and booleans only; what is not known is left out. */
export type LogFields = Record<string, unknown>;
