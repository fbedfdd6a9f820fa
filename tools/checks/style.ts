import type { ESLint, Rule } from 'eslint';

/** A member of a class, as a parser for TypeScript describes it. */
interface Member {
  kind?: string;
  accessibility?: string;
}

const members: Rule.RuleModule = {
  meta: { type: 'suggestion', schema: [], docs: { description: 'Private members have names that start with #.' } },
  create: (context) => {
    const check = (node: Rule.Node) => {
      const { kind, accessibility } = node as Member;
      if (kind === 'constructor' || (accessibility !== 'private' && accessibility !== 'public')) return;
      context.report({ node, message: 'Use #name for private members and no modifier for public ones.' });
    };
    return { PropertyDefinition: check, MethodDefinition: check };
  },
};

const spreads: Rule.RuleModule = {
  meta: { type: 'suggestion', schema: [], docs: { description: 'Object literals are not spread.' } },
  create: (context) => ({
    ObjectExpression: ({ properties }) => {
      for (const property of properties) {
        if (property.type !== 'SpreadElement' || property.argument.type !== 'ObjectExpression') continue;
        const message = 'List the fields directly instead of spreading an object literal.';
        context.report({ node: property, message });
      }
    },
  }),
};

const typeImports: Rule.RuleModule = {
  meta: { type: 'suggestion', schema: [], docs: { description: 'Types have import statements of their own.' } },
  create: (context) => {
    const check = (node: Rule.Node) => {
      const { importKind, exportKind } = node as { importKind?: string; exportKind?: string };
      if (importKind !== 'type' && exportKind !== 'type') return;
      context.report({ node, message: 'Use a separate `import type` or `export type` statement.' });
    };
    return { ImportSpecifier: check, ExportSpecifier: check };
  },
};

/** Lint rules that enforce one style in all code. */
export const style: ESLint.Plugin = {
  meta: { name: 'style' },
  rules: { members, spreads, 'type-imports': typeImports },
};

// oxlint loads the default export.
export default style;
