/** The bytes of a stored value. LangGraph's interface allows text as well, one character for each byte. */
export function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? Buffer.from(data, "latin1") : data;
}
