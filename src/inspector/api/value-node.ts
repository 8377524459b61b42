/** The kinds of values that a tree shows. */
export type ValueType =
  | "null"
  | "undefined"
  | "boolean"
  | "number"
  | "bigint"
  | "string"
  | "date"
  | "bytes"
  | "array"
  | "object"
  | "map"
  | "set"
  | "error"
  | "other";

/** A value without its children. */
export interface ValueNode {
  readonly type: ValueType;
  /** The class of an object that is not plain, such as `AIMessage`, or the name of its Python class. */
  readonly className?: string;
  /**
   * What to show for the value itself: a number, the ISO time of a date, the start of a string, the first bytes as hex, or a preview of
   * the children.
   */
  readonly text: string;
  /** The characters of a string, the bytes of bytes, or the number of children. */
  readonly size: number;
  /** Whether {@link text} is only the start of the value. */
  readonly isCut: boolean;
}

/** A child of a value: an element, a property, or an entry of a Map. */
export interface ValueChild {
  /** The position among the children, a step of a {@link ValuePath}. */
  readonly step: number;
  /** The name of the property, the position of the element, or the key of the entry as text. */
  readonly label: string;
  readonly value: ValueNode;
}

/** The way from a stored value to a part of it: the position of the child at each step. */
export type ValuePath = readonly number[];

/** A value with a page of its children. */
export interface UnfoldedValue {
  readonly value: ValueNode;
  readonly children: readonly ValueChild[];
}

/** A part of a text that is too long for one response. */
export interface TextPart {
  readonly text: string;
  /** Where the next part begins; absent after the last one. */
  readonly next?: number;
}

/** A part of a value that a search has found. */
export interface ValueMatch {
  readonly path: ValuePath;
  /** The labels on the way, such as `[3].content`. */
  readonly label: string;
  readonly value: ValueNode;
}
