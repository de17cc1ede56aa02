//! How DuckDB's reader is asked for the columns of an encrypted file: by field id.

use crate::sql::file::statement::Scan;
use crate::sql::quote::text;
use colstats_core::query::Query;
use colstats_core::value::Literal;

/// The reader's option for a file that is encrypted with a key of its own, which the catalogue keeps.
pub fn decryption(key: &str) -> (String, Literal) {
    let value = Literal::Expression(format!("from_base64({})", text(key)));
    ("encryption_config".into(), Literal::Struct(vec![("footer_key_value".into(), value)]))
}

/// A column to be read.
pub struct AskedColumn {
    pub field_id: i64,
    pub type_text: String,
    /// What the reader gives where the file has no such column.
    pub default: Option<String>,
}

impl AskedColumn {
    /// What the column with this field id is called in the scan.
    pub fn name(field_id: i64) -> String {
        format!("column_{field_id}")
    }
}

/// The reader's option `schema`.
pub fn schema(columns: impl IntoIterator<Item = AskedColumn>) -> (String, Literal) {
    let entry = |column: AskedColumn| {
        let fields = vec![
            ("name".into(), Literal::Text(AskedColumn::name(column.field_id))),
            ("type".into(), Literal::Text(column.type_text)),
            ("default_value".into(), column.default.map_or(Literal::Null, Literal::Text)),
        ];
        (Literal::Integer(column.field_id), Literal::Struct(fields))
    };
    ("schema".into(), Literal::Map(columns.into_iter().map(entry).collect()))
}

/// What the reader gives for a column that a file lacks, when it is asked whether there is one.
const ABSENT: &str = "colstats: the file lacks this column";

/// The field ids of these that a file with rows lacks.
pub fn lacking_columns(scan: &Scan, field_ids: &[i64]) -> Query<Option<i64>> {
    let asked = |field_id: &i64| AskedColumn {
        field_id: *field_id,
        type_text: "VARCHAR".into(),
        default: Some(ABSENT.into()),
    };
    let absent = |field_id: &i64| {
        let name = AskedColumn::name(*field_id);
        format!("CASE WHEN {name} = {} THEN CAST({field_id} AS BIGINT) END", text(ABSENT))
    };
    let absent: Vec<String> = field_ids.iter().map(absent).collect();
    let statement = format!(
        "SELECT unnest([{}]) AS field_id FROM (SELECT * FROM {} LIMIT 1)",
        absent.join(", "),
        scan.source(&[schema(field_ids.iter().map(asked))])
    );
    Query::new(statement, |row| row.integer("field_id"))
}
