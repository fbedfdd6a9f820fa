import ts from 'typescript';

const FORMAT = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;

/**
 * Returns the declarations of types that `entry` exports. Types that they refer to are written out, or declared too.
 */
export function expandTypes(entry: string, names: readonly string[]): string {
  const program = ts.createProgram([entry], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is not a module`);
  const exported = new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]));
  const declarations = new Map<string, string>();
  const declare = (name: string): void => {
    const symbol = exported.get(name);
    if (symbol === undefined) throw new Error(`${entry} does not export ${name}`);
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const type = checker.getDeclaredTypeOfSymbol(isAlias ? checker.getAliasedSymbol(symbol) : symbol);
    const text = checker.typeToString(type, undefined, FORMAT);
    declarations.set(name, `export type ${name} = ${text};\n`);
    // The checker prints the names of some types instead of their content.
    for (const [other] of text.matchAll(/\b[A-Z]\w+\b/g)) {
      if (exported.has(other) && !declarations.has(other)) declare(other);
    }
  };
  for (const name of names) if (!declarations.has(name)) declare(name);
  return [...declarations.values()].join('');
}
