/** An entry's place in the table. */
export interface EntryPlace {
  /** The column `namespace`. */
  readonly namespace: string;
  readonly key: string;
}

/** A value as the serializer wrote it. */
export interface EncodedEntry {
  readonly type: string;
  readonly value: Uint8Array;
}

/** A value as the queries of this room select it. */
export interface SentEntry {
  readonly type: string;
  readonly base64: string;
}

/** The namespaces from `from` on and before `beyond`, compared byte by byte. */
export interface TextRange {
  readonly from: string;
  readonly beyond: string;
}
