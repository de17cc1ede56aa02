//! Named options of functions: each has a name and what it sets, and a family of functions has a list of them.

use colstats_core::error::{Error, Result};
use colstats_core::settings::Settings;
use colstats_core::value::Literal;

/// An option, which sets something in the checked arguments of a function.
pub struct NamedOption<Checked> {
    pub name: &'static str,
    set: fn(&mut Checked, &Given<'_>) -> Result<()>,
}

/// An option with this name.
pub fn option<Checked>(
    name: &'static str,
    set: fn(&mut Checked, &Given<'_>) -> Result<()>,
) -> NamedOption<Checked> {
    NamedOption { name, set }
}

/// The names, as they are registered.
pub fn names<Checked>(options: &[NamedOption<Checked>]) -> Vec<&'static str> {
    options.iter().map(|option| option.name).collect()
}

/// Sets what was given. An option whose name is not known is an error.
pub fn read<Checked>(
    options: &[NamedOption<Checked>],
    given: &[(&str, Literal)],
    checked: &mut Checked,
) -> Result<()> {
    for (name, value) in given {
        let Some(known) = options.iter().find(|option| option.name == *name) else {
            return Err(Error::new(format!(
                "option '{name}' is not known; the options are {}",
                names(options).join(", ")
            )));
        };
        (known.set)(checked, &Given { name, value })?;
    }
    Ok(())
}

/// What the caller gave for an option. Errors name the option.
pub struct Given<'call> {
    pub name: &'call str,
    pub value: &'call Literal,
}

impl Given<'_> {
    /// A VARCHAR.
    pub fn text(&self) -> Result<&str> {
        self.value.as_text(self.name)
    }

    /// A VARCHAR of one's own.
    pub fn owned_text(&self) -> Result<String> {
        self.text().map(str::to_owned)
    }

    /// A VARCHAR or a list of VARCHAR.
    pub fn texts(&self) -> Result<Vec<String>> {
        self.value.as_texts(self.name)
    }

    /// True or false.
    pub fn boolean(&self) -> Result<bool> {
        self.value.as_boolean(self.name)
    }

    /// An integer.
    pub fn integer(&self) -> Result<i64> {
        self.value.as_integer(self.name)
    }

    /// The columns asked for, of which there is at least one.
    pub fn column_names(&self) -> Result<Vec<String>> {
        let names = self.texts()?;
        if names.is_empty() {
            return Err(Error::new(format!(
                "{} is an empty list; name a column or leave it out",
                self.name
            )));
        }
        Ok(names)
    }

    /// The length from which bounds are cut, in bytes.
    pub fn max_bound_bytes(&self) -> Result<i64> {
        let bytes = self.integer()?;
        Settings::with_max_bound_bytes(bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_by_name_and_unknown_ones_refused() {
        let options = [
            option("columns", |o: &mut (Vec<String>, i64), given| {
                o.0 = given.column_names()?;
                Ok(())
            }),
            option("max_bound_bytes", |o: &mut (Vec<String>, i64), given| {
                o.1 = given.max_bound_bytes()?;
                Ok(())
            }),
        ];
        let read = |name, value| {
            let mut checked = (Vec::new(), 0);
            read(&options, &[(name, value)], &mut checked).map(|()| checked)
        };
        assert_eq!(read("max_bound_bytes", Literal::Integer(8)), Ok((vec![], 8)));
        assert_eq!(read("columns", Literal::Text("a".into())), Ok((vec!["a".into()], 0)));
        let error = |name, value| read(name, value).unwrap_err().to_string();
        assert_eq!(
            error("colums", Literal::Null),
            "option 'colums' is not known; the options are columns, max_bound_bytes"
        );
        assert!(error("columns", Literal::List(vec![])).contains("columns is an empty list"));
        assert!(error("max_bound_bytes", Literal::Integer(0)).contains("between 1 and"));
    }
}
