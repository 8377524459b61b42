// Node has WebAssembly, and its types have it in none of the libraries that this project compiles with.
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: "WebAssembly.Module";
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
