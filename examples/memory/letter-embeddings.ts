import { Embeddings } from "@langchain/core/embeddings";

export const DIMS = 256;

/** An embedding model without a network: words that share groups of three letters, such as peanut and peanuts, are alike. */
export class LetterEmbeddings extends Embeddings {
  readonly model = "letters";

  constructor() {
    super({});
  }

  override embedDocuments(documents: string[]): Promise<number[][]> {
    return Promise.resolve(documents.map(vectorOf));
  }

  override embedQuery(document: string): Promise<number[]> {
    return Promise.resolve(vectorOf(document));
  }
}

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: DIMS }, () => 0);
  for (const word of text.toLowerCase().match(/[a-z]{4,}/g) ?? []) {
    for (let at = 0; at + 3 <= word.length; at++) {
      const place = Array.from(word.slice(at, at + 3)).reduce(
        (sum, letter) => sum * 31 + letter.charCodeAt(0),
        7,
      );
      vector[place % DIMS] = (vector[place % DIMS] ?? 0) + 1;
    }
  }
  return vector;
}
