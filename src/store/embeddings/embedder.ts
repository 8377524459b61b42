/** An embedding model: any `Embeddings` of LangChain. */
export interface EmbeddingsLike {
  /** Returns a vector for each text. */
  embedDocuments(texts: string[]): Promise<number[][]>;
  /** Returns the vector of a query. */
  embedQuery(text: string): Promise<number[]>;
}

/** A function that returns a vector for each text. It embeds queries too. */
export type EmbeddingsFunction = (texts: string[]) => number[][] | Promise<number[][]>;

/** Whether a value can embed texts. */
export function isEmbeddings(value: unknown): value is EmbeddingsLike | EmbeddingsFunction {
  if (typeof value === "function") return true;
  if (typeof value !== "object" || value === null) return false;
  return ["embedDocuments", "embedQuery"].every((name) => typeof Reflect.get(value, name) === "function");
}

/** An embedding model of either kind. */
export function toEmbeddings(given: EmbeddingsLike | EmbeddingsFunction): EmbeddingsLike {
  if (typeof given !== "function") return given;
  return {
    embedDocuments: async (texts) => given(texts),
    embedQuery: async (text) => (await given([text]))[0] ?? [],
  };
}

/** The name that a model of LangChain has. `undefined` for others: the name of a class or function may change with each build. */
export function modelNameOf(given: EmbeddingsLike | EmbeddingsFunction): string | undefined {
  const names = ["model", "modelName"].map((property): unknown => Reflect.get(given, property));
  return names.find((name): name is string => typeof name === "string" && name !== "");
}
