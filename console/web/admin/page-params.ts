/** Values of the parameters in the path of a page. */
export type PageParams = Readonly<Record<string, string>>;
