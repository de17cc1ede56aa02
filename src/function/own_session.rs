//! A session for statements of our own.

use crate::ffi::session::Session;
use crate::sql::own_session::{UNSET_COLLATION, current_schema, has_collation, set_search_path};
use colstats_core::error::Result;

/// Makes composed statements mean the same whatever macros the user has made and whatever collation is set for
/// the database. Not for statements that hold text of the user, which those macros and that collation are for.
pub fn isolate(session: &Session) -> Result<()> {
    for schema in session.collect(&current_schema())? {
        session.change(&set_search_path(&schema))?;
    }
    if session.collect(&has_collation())?.contains(&true) {
        session.change(UNSET_COLLATION)?;
    }
    Ok(())
}
