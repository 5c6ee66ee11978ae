// A workbook as it is written: a sheet after the other, a row at a time, packed as it goes, so that a million rows need no more memory than
// one (ISO/IEC 29500; ZIP with sizes behind each part). Numbers are numbers, so that each spreadsheet shows them as its language does.
import { crc32, createDeflateRaw } from 'node:zlib';
import { type RowOutput } from '../../files/row-output.ts';

/** A cell: a text, an amount as a number with so many decimals, or nothing. */
export type SheetCell = string | { readonly number: string; readonly decimals: number } | undefined;

/** A column of a sheet. */
interface SheetColumn {
  readonly title: string;
  /** In characters. */
  readonly width: number;
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const ofPackage = 'http://schemas.openxmlformats.org/package/2006';
const media = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Styles of cells by their place: plain, a title, a text, and numbers of no to four decimals. */
const [titleStyle, textStyle, numberStyle] = [1, 2, 3];
const numberFormats = ['#,##0', '#,##0.0', '#,##0.00', '#,##0.000', '#,##0.0000'];
const styles =
  `<styleSheet xmlns="${main}"><numFmts count="5">${numberFormats.map((code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${code}"/>`).join('')}</numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="8">' +
  ['0" fontId="0', '0" fontId="1" applyFont="1', '49" fontId="0" applyNumberFormat="1']
    .concat(numberFormats.map((_, at) => `${170 + at}" fontId="0" applyNumberFormat="1`))
    .map((it) => `<xf numFmtId="${it}" fillId="0" borderId="0" xfId="0"/>`)
    .join('') +
  '</cellXfs></styleSheet>';

/** Opens a workbook over an output, which it ends. */
export function openWorkbookOutput(out: RowOutput) {
  const zip = createZip(out);
  const names: string[] = [];
  let [columns, rows] = [0, 0];

  async function endSheet(): Promise<void> {
    if (names.length === 0) return;
    const filter = columns > 0 ? `<autoFilter ref="A1:${columnName(columns - 1)}${rows}"/>` : '';
    await zip.write(`</sheetData>${filter}</worksheet>`);
    await zip.end();
  }
  const rowXml = (cells: readonly SheetCell[], style = textStyle): string => {
    rows += 1;
    return `<row r="${rows}">${cells.map((cell, at) => cellXml(cell, `${columnName(at)}${rows}`, style)).join('')}</row>`;
  };
  return {
    /** Ends the sheet before, and begins one under a head that stays in sight. */
    async sheet(name: string, head: readonly SheetColumn[]): Promise<void> {
      await endSheet();
      names.push(name);
      [columns, rows] = [head.length, 0];
      const cols = head.map(
        ({ width }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
      );
      await zip.begin(`xl/worksheets/sheet${names.length}.xml`);
      await zip.write(
        `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`,
      );
      await zip.write(
        rowXml(
          head.map(({ title }) => title),
          titleStyle,
        ),
      );
    },
    add: (some: readonly (readonly SheetCell[])[]) => zip.write(some.map((cells) => rowXml(cells)).join('')),
    async close(): Promise<void> {
      await endSheet();
      for (const [path, xml] of partsAround(names)) {
        await zip.begin(path);
        await zip.write(declaration + xml);
        await zip.end();
      }
      await zip.close();
      await out.close();
    },
  };
}

/** The parts of a workbook beside its sheets. */
function partsAround(names: readonly string[]): readonly (readonly [path: string, xml: string])[] {
  const related = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relationships}/${type}" Target="${target}"/>`;
  const listed = (content: string) => `<Relationships xmlns="${ofPackage}/relationships">${content}</Relationships>`;
  const typed = (path: string, type: string) => `<Override PartName="${path}" ContentType="${media}.${type}+xml"/>`;
  const ofSheets = (xml: (n: number, name: string) => string) => names.map((name, at) => xml(at + 1, name)).join('');
  const sheets = ofSheets((n, name) => `<sheet name="${escaped(name)}" sheetId="${n}" r:id="rId${n}"/>`);
  const toSheets = ofSheets((n) => related(n, 'worksheet', `worksheets/sheet${n}.xml`));
  const types = ofSheets((n) => typed(`/xl/worksheets/sheet${n}.xml`, 'worksheet'));
  return [
    ['xl/styles.xml', styles],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relationships}"><bookViews><workbookView/></bookViews><sheets>${sheets}</sheets></workbook>`,
    ],
    ['xl/_rels/workbook.xml.rels', listed(toSheets + related(names.length + 1, 'styles', 'styles.xml'))],
    ['_rels/.rels', listed(related(1, 'officeDocument', 'xl/workbook.xml'))],
    [
      '[Content_Types].xml',
      `<Types xmlns="${ofPackage}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${typed('/xl/workbook.xml', 'sheet.main')}${typed('/xl/styles.xml', 'styles')}${types}</Types>`,
    ],
  ];
}

function cellXml(cell: SheetCell, name: string, style: number): string {
  if (cell === undefined || cell === '') return '';
  if (typeof cell !== 'string')
    return `<c r="${name}" s="${numberStyle + Math.min(cell.decimals, 4)}"><v>${cell.number}</v></c>`;
  return `<c r="${name}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
}

// oxlint-disable-next-line no-control-regex -- control characters are exactly what is escaped
const notInXml = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Surrogate}/gu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The text without signs of XML's own. */
export const xmlText = (text: string): string => text.replaceAll(/[&<>"]/g, (it) => entities[it] ?? it);

/** As XML has it; what XML has not (control characters) is escaped as OOXML says, and what looks like that too. */
function escaped(text: string): string {
  return xmlText(text.replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_')).replaceAll(
    notInXml,
    (it) => `_x${it.charCodeAt(0).toString(16).padStart(4, '0')}_`,
  );
}

function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

/** A zip file whose parts come one after the other. */
function createZip(out: RowOutput) {
  const directory: Buffer[] = [];
  const waiting: Buffer[] = [];
  let offset = 0;
  let part = { name: '', begin: 0, crc: 0, bytes: 0, packed: 0 };
  let deflate = createDeflateRaw();

  async function put(bytes: Buffer): Promise<void> {
    offset += bytes.length;
    await out.write(bytes);
  }
  return {
    async begin(name: string): Promise<void> {
      part = { name, begin: offset, crc: 0, bytes: 0, packed: 0 };
      deflate = createDeflateRaw();
      deflate.on('data', (chunk: Buffer) => waiting.push(chunk));
      await put(record('4222224442', [0x04034b50, ...made, 0, 0, 0, name.length], '2', [0], name));
    },
    async write(text: string): Promise<void> {
      const bytes = Buffer.from(text);
      part.crc = crc32(bytes, part.crc);
      part.bytes += bytes.length;
      await new Promise<void>((resolve, reject) =>
        deflate.write(bytes, (error) => (error ? reject(error) : resolve())),
      );
      await drain();
    },
    async end(): Promise<void> {
      await new Promise<void>((resolve) => deflate.once('end', resolve).end());
      await drain();
      const { name, begin, crc, packed, bytes } = part;
      await put(record('4444', [0x08074b50, crc, packed, bytes]));
      const its = [0x02014b50, 20, ...made, crc, packed, bytes, name.length];
      directory.push(record('42222224442', its, '222244', [0, 0, 0, 0, 0, begin], name));
    },
    async close(): Promise<void> {
      const whole = Buffer.concat(directory);
      const [begin, count] = [offset, directory.length];
      await put(whole);
      await put(record('42222442', [0x06054b50, 0, 0, count, count, whole.length, begin, 0]));
    },
  };

  async function drain(): Promise<void> {
    const packed = Buffer.concat(waiting.splice(0));
    part.packed += packed.length;
    if (packed.length > 0) await put(packed);
  }
}

/** Version 2.0; sizes behind the part, names in UTF-8; deflated; on 1980-01-01, so that the same rows are the same bytes. */
const made = [20, 0x0808, 8, 0, 0x21];

/** Numbers of two or four bytes, the smallest byte first, and a name behind them. */
function record(
  sizes: string,
  numbers: readonly number[],
  more = '',
  others: readonly number[] = [],
  name = '',
): Buffer {
  const all = [...numbers, ...others];
  const parts = [...(sizes + more)].map((size, at) => {
    const buffer = Buffer.alloc(Number(size));
    buffer.writeUIntLE(all[at] ?? 0, 0, Number(size));
    return buffer;
  });
  return Buffer.concat([...parts, Buffer.from(name)]);
}
