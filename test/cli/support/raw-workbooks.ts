// Workbooks as stories write them: the parts of a small one, of which each story changes what it is about.
import { strToU8, zipSync } from 'fflate';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const ofPackage = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** The parts of a workbook. */
interface Raw {
  /** The content of `sheetData`. */
  readonly rows?: string;
  /** What comes before it. */
  readonly before?: string;
  /** Formats of the styles, from 0 on. */
  readonly formats?: readonly string[];
  readonly state?: string;
  readonly part?: Readonly<Record<string, string>>;
}

/** A cell of this text. */
export const text = (name: string, value: string) => `<c r="${name}" t="inlineStr"><is><t>${value}</t></is></c>`;
/** A cell of this number, in a style. */
export const number = (name: string, value: number | string, style = 0) =>
  `<c r="${name}" s="${style}"><v>${value}</v></c>`;

/** The bytes of a workbook. */
export function rawWorkbook({ rows = '', before = '', formats = ['General'], state, part = {} }: Raw): Uint8Array {
  const named = formats.map(
    (code, index) =>
      `<numFmt numFmtId="${200 + index}" formatCode="${code.replaceAll('<', '&lt;').replaceAll('"', '&quot;')}"/>`,
  );
  const xfs = formats.map((_, index) => `<xf numFmtId="${200 + index}"/>`);
  const parts: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships xmlns="${ofPackage}"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Payouts" sheetId="1" ${state === undefined ? '' : `state="${state}" `}r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${ofPackage}"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${named.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${xfs.join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}">${before}<sheetData>${rows}</sheetData></worksheet>`,
    ...part,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([path, xml]) => [path, strToU8(xml)])), { level: 9 });
}
