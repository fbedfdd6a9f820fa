import { audit } from './en/admin/audit.ts';
import { common } from './en/admin/frame.ts';
import { applications, creditRequests } from './en/admin/decisions.ts';
import { health, models } from './en/admin/platform.ts';
import { grants, limits, purge, tenant, tenants } from './en/admin/tenants.ts';
import { language } from './index.ts';

const en = { applications, audit, common, creditRequests, grants, health, limits, models, purge, tenant, tenants };

/**
 * Texts of the page for administrators. They are separate from the other texts, so that the page for developers does
 * not have to load them. Each language has an object of this type.
 */
export type AdminTexts = typeof en;

const LANGUAGES: Readonly<Record<string, AdminTexts>> = { en };

/** Texts of the page for administrators in the language of the browser. */
export const adminTexts: AdminTexts = LANGUAGES[language] ?? en;
